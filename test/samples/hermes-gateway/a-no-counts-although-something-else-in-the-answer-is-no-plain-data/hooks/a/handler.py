from datetime import datetime


def handle(event_type, context):
    return {'decision': 'deny', 'message': 'No.', 'at': datetime.now()}
