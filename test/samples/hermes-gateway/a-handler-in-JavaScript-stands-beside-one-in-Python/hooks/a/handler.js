export const handle = (eventType) => console.log(eventType);
