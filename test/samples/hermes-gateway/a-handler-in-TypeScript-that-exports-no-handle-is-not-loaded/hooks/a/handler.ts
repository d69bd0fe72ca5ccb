export const handler = () => {};
