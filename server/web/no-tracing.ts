/**
 * Stands in for `langsmith` in the page. The messages of `@langchain/core` drag it in with a quarter of a megabyte,
 * to trace runs; a page starts no run of its own, so all of this is only ever imported.
 */

const untraced = (): never => {
  throw new Error("The page traces no runs.");
};

export class RunTree {
  constructor() {
    untraced();
  }
}

export class Client {
  constructor() {
    untraced();
  }
}

export const isRunTree = (): boolean => false;
export const isTraceableFunction = (): boolean => false;
export const getCurrentRunTree = (): undefined => undefined;
export const convertToDottedOrderFormat = untraced;
