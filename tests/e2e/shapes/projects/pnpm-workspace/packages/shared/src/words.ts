export const asksFirst = (text: string): boolean => text.includes("send");
export const done = (answer: string): string => `Done: ${answer}`;
