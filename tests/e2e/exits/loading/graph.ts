process.exit(0);

export const gone = undefined;
