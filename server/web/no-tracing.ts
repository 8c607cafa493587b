/**
 * Stands in for `langsmith` and for the tracers of `@langchain/core` in the page. The messages of `@langchain/core`
 * drag them in with a quarter of a megabyte, to trace runs; a page starts no run of its own, so all of this is only
 * ever imported.
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

export class ConsoleCallbackHandler {
  constructor() {
    untraced();
  }
}

export class LangChainTracer {
  constructor() {
    untraced();
  }

  static getTraceableRunTree(): undefined {}
}

export const isBaseTracer = (): boolean => false;

export class LogStreamCallbackHandler {
  constructor() {
    untraced();
  }
}

export const isLogStreamHandler = (): boolean => false;

// Named by the module of runnables, of which the page has none.
export class RunLog {}

export class RunLogPatch {}
