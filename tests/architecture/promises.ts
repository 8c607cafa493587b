import ts from "typescript-5";
import type { Source } from "./source.ts";

/** A thing that CONTRIBUTING promises, and the lines of code that break it. */
export type Promised = {
  /** The areas that it holds for. */
  areas: readonly string[];
  /** Where it may be done: the modules whose work it is. */
  allowed?: RegExp;
  broken(node: ts.Node, file: ts.SourceFile): boolean;
};

const MOST_LINES_OF_FUNCTION = 50;
const SQL =
  /^\s*(select\s.*\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(unique\s+)?(table|index)\s|pragma\s)/is;
const HTTP = new Set(["fetch", "Bun.serve", "Response", "Request", "WebSocket", "EventSource"]);
const HTTP_MODULES = /^(node:)?(https?|http2)$/;

/** Each by the words that name it in `exceptions.json`. */
export const PROMISES: Record<string, Promised> = {
  "functions of more than 50 lines": {
    areas: ["store", "agent", "server", "web"],
    broken: (node, file) => ts.isFunctionLike(node) && linesOf(node, file) > MOST_LINES_OF_FUNCTION,
  },
  "process.env outside the command line": {
    areas: ["store", "agent", "server", "web"],
    // The commands read the environment and hand it on as settings; a project that people copy out reads its own.
    allowed: /^(server\/(cli\/|executor\/|early\/)|agent\/templates\/)/,
    broken: (node, file) => ts.isPropertyAccessExpression(node) && node.getText(file) === "process.env",
  },
  "time that is not from a Clock": {
    areas: ["store", "agent", "server"],
    allowed: /^store\/clock\.ts$/,
    broken: isNow,
  },
  "SQL outside store": {
    areas: ["agent", "server", "web"],
    broken: (node) =>
      (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node)) &&
      SQL.test(node.text),
  },
  "texts outside a page's words": {
    areas: ["web"],
    // Each page has its texts in one file, so that they can be read in one go; the names of screens are where these are
    // declared. A frame has no page, and code to copy is code.
    allowed:
      /(^|\/)([a-z]+-)?words\.tsx?$|^web\/component\/|^web\/console\/(screens|webhooks\/snippets)\.tsx$/,
    broken: isText,
  },
  "HTTP outside server": {
    areas: ["store", "agent"],
    // Requests to a project's own auth and routes are put together again where its code is.
    allowed: /^agent\/(templates|executors|code|apps)\//,
    broken: isHttp,
  },
};

/** How often each promise is broken, by file; what is nowhere broken is left out. */
export function brokenPromises(
  sources: Source[],
  promises: Record<string, Promised> = PROMISES,
): Record<string, Record<string, number>> {
  const found: Record<string, Record<string, number>> = {};
  for (const name of Object.keys(promises)) found[name] = {};
  for (const { path, text } of sources) {
    const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const held = Object.entries(promises).filter(
      ([, { areas, allowed }]) => areas.includes(path.split("/")[0] ?? "") && !allowed?.test(path),
    );
    if (held.length === 0) continue;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, kind);
    const visit = (node: ts.Node): void => {
      for (const [name, { broken }] of held) {
        const counts = found[name] ?? {};
        if (broken(node, file)) counts[path] = (counts[path] ?? 0) + 1;
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

function linesOf(node: ts.Node, file: ts.SourceFile): number {
  const line = (at: number) => file.getLineAndCharacterOfPosition(at).line;
  return line(node.getEnd()) - line(node.getStart(file)) + 1;
}

/** `Date.now` and `new Date()`; a date of a given time is none. */
function isNow(node: ts.Node, file: ts.SourceFile): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.getText(file) === "Date.now";
  return ts.isNewExpression(node) && node.expression.getText(file) === "Date" && !node.arguments?.length;
}

const LETTER = /\p{L}/u;
/** The name of an event is the same in every language. */
const EVENT = /^[a-z_]+(\.[a-z_]+)+$/;
const SHOWN = new Set(
  "label,title,placeholder,aria-label,alt,hint,note,text,sub,legend,none,confirmText,comfort,heading,error".split(
    ",",
  ),
);

/** An error that is shown is a sentence; what only a developer reads begins small. */
const SENTENCE = /^\p{Lu}/u;

/** Words that a person reads: between tags, as a label, hint, title and the like, or as an error. */
function isText(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return LETTER.test(node.text);
  const isLiteral = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node);
  if (!(isLiteral || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))) return false;
  return (
    LETTER.test(node.text) &&
    !EVENT.test(node.text) &&
    isShown(ts.isLiteralExpression(node) ? node : node.parent)
  );
}

/** Whether a value comes to a place that a person reads, directly or as one of several. */
function isShown(value: ts.Node): boolean {
  const { parent } = value;
  if (ts.isTemplateSpan(parent)) return isShown(parent.parent);
  if (ts.isConditionalExpression(parent)) return parent.condition !== value && isShown(parent);
  if (ts.isBinaryExpression(parent))
    return /^(&&|\|\||\?\?|\+)$/.test(parent.operatorToken.getText()) && isShown(parent);
  if (ts.isParenthesizedExpression(parent) || ts.isTemplateExpression(parent)) return isShown(parent);
  if (ts.isJsxExpression(parent)) return !ts.isJsxAttribute(parent.parent) || isShown(parent);
  if (ts.isNewExpression(parent))
    return /(Error|Failed)$/.test(parent.expression.getText()) && SENTENCE.test(value.getText().slice(1));
  if (ts.isJsxAttribute(parent)) return SHOWN.has(parent.name.getText());
  return ts.isPropertyAssignment(parent) && parent.initializer === value && SHOWN.has(parent.name.getText());
}

/** A request that is sent, an answer that is made, or a server that listens; types of them are free. */
function isHttp(node: ts.Node, file: ts.SourceFile): boolean {
  if (ts.isImportDeclaration(node))
    return (
      ts.isStringLiteral(node.moduleSpecifier) &&
      HTTP_MODULES.test(node.moduleSpecifier.text) &&
      // The names of statuses are words.
      !/^import \{ STATUS_CODES \} from /.test(node.getText(file))
    );
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  // `new Response(stream).text()` reads a stream, and answers nobody.
  if (ts.isPropertyAccessExpression(node.parent) && ts.isNewExpression(node)) return false;
  return HTTP.has(node.expression.getText(file).replace(/^globalThis\./, ""));
}
