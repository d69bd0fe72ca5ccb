def why():
    return 'Plan first.'
