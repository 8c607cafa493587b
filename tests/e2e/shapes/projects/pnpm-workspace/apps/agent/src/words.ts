export const read = (count: number) => `I have read ${count} messages`;
