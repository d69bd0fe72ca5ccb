print('here')
