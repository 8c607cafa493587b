/** A pattern, and what is put in its place. */
export type Rule = [pattern: RegExp, replacement: string];

/** Messages of well-known programs that hold somebody's text, or say the same in several ways. */
export const KNOWN: Rule[] = [
  [/<(?:!doctype html|html)\b[\s\S]*?(?:<\/html>|$)/gi, "<value>"],
  [/ ?\((?:request|trace|correlation)[ _-]?id:? [^()]*\)/gi, ""],
  [
    /\b(Unexpected token) (?:'.{1,4}'|\S{1,4})(?:, | in JSON)[\s\S]*?(?: is not valid JSON|$)/gu,
    "$1 in JSON",
  ],
  // An object, or nothing, that was read as if it were text.
  [/^"\[object (\w+)\]"(?= is not valid JSON)/, "object $1"],
  [/^"(undefined|null|NaN)"(?= is not valid JSON)/, "$1"],
  // What a service says in quotes is a sentence.
  [/\b(with message|message|reason|error)(:?) "([^"\n]*\w [^"\n]*)"/gi, "$1$2 $3"],
  [/\bText: "[\s\S]*?"\. Error: /g, "Text: <value>. Error: "],
  [/\b(Invalid json output): [\s\S]*$/i, "$1: <value>"],
  [/\binput_value=[\s\S]*?, input_type=\w+/g, "<value>"],
  [/\b(maximum recursion depth exceeded)[\s\S]*$/, "$1"],
  [/(altnames): [\s\S]*$/, "$1"],
  [/^(?:Error: )?\S+ (is not a valid tool), try one of .*$/, "<value> $1"],
  [/\bregistry\.ollama\.ai\/library\/(?=\w)/g, "model "],
  [/ ?You can increase the limit by setting the \S+ config key\.?/g, ""],
  // `"LEGAL"."PARTIES"`
  [/"(\w+)"\."(\w+)"/g, '"$1.$2"'],
  [/^Cloning into .*\n/, ""],
  // Which byte, which value, which pattern or which address it was is the one case.
  [/\b(codec can't (?:de|en)code \w+)\b[\s\S]*$/, "$1"],
  [/(\bmust be (?:of type|an instance of|one of|either) [^\n]*?)\. Received [\s\S]*$/, "$1"],
  [/\b(Invalid regular expression): \/[\s\S]*\/\w*: /, "$1: <value>: "],
  [/\b(Failed to parse URL) from [\s\S]*$/, "$1"],
  [/\b(while (?:downloading|fetching)) https?:\S+?(?=\.?(?:\s|$))/g, "$1 <url>"],
  [/\b(Deadline exceeded after) [\s\S]*$/i, "$1 <n>"],
  [/, received (?!undefined|null)\w+/g, ""],
  // Prisma shows the code around it where it can read it.
  [/(Invalid `[\w.$]+\(\)` invocation)(?::| in\n\S+)\n(?:(?:→ *)? *\d+.*\n|[ \t]*\n)*/, "$1: "],
  [/Invalid `[^`\n]*` invocation: (?=Can't reach|Timed out|Authentication failed|Server has closed)/, ""],
  [/\(Background on this error at: .*\)/g, ""],
];

const MONTHS =
  "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";

/** What is spelled in a hundred ways but means "somewhere", "somebody", "some time". */
export const PLACES: Rule[] = [
  // `3 July`, `July 14th, 2025`, `03/07/2024`, `12.05.2024`
  [
    new RegExp(
      `\\b\\d{1,2}(?:st|nd|rd|th|\\.)? (?:of )?(?:${MONTHS})\\b(?:,? \\d{4}\\b(?! ?[\\d:]))?(?! \\d)`,
      "g",
    ),
    "<time>",
  ],
  [
    new RegExp(`\\b(?:${MONTHS})\\.? \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4}\\b)?(?![:.,]?\\d)`, "g"),
    "<time>",
  ],
  [/(?<![\w.,-])(?:[012]?\d|3[01])\.(?:0?[1-9]|1[012])\.(?= \S)/g, "<time>"],
  [/\b(?:[01]?\d|2[0-3])h[0-5]\d\b/g, "<time>"],
  [/\b(?:this|next|last) (?:week|month|year|weekend|night|morning|evening)\b/gi, "<time>"],
  [/(?<![\w./-])\d{1,2}([./-])\d{1,2}\1(?:19|20)\d\d(?![\w/-])/g, "<time>"],
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]}»]+/gi, "<url>"],
  [/\b(url:?) \S+/gi, "$1 <url>"],
  [/\barn:aws[\w-]*:(?!s3:|bedrock:)[^\s"',]+/g, "<id>"],
  [/<?\b[\w.+'-]+@(?:[\w-]+\.)+[a-z]{2,}\b>?/gi, "<email>"],
  [
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{4}(?: [\d:]+(?: (?:GMT|UTC|[+-]\d{4}))?)?/g,
    "<time>",
  ],
  [
    /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?/g,
    "<time>",
  ],
  [/\b(?:[0-9a-f]{2,8}:){3,}[0-9a-f]{2,12}\b/gi, "<n>"],
  [/\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]m)?\b/gi, "<time>"],
  [/\\\\[\w.$-]+\\[^\s"'<>|:*?,;)]+/g, "<path>"],
  [/\bC?[A-Za-z]:\\(?:[^\\\n"'<>|:*?]+\\)*[^\\\n"'<>|:*?,;)]*/g, "<path>"],
  [/(?<![\w<>/])(?:file:)?(?:\.{0,2}|~)\/(?:[\w.%@+~=-]+\/?)+(?:\?[^\s"']*)?(?::\d+(?::\d+)?)?/g, "<path>"],
  [/(?<=\s)\/(?=\s|$)/g, "<path>"],
  [/(?<![\w<>/])[\w.@-]+\/(?:[\w.@-]+\/)+[\w.@-]+(?::\d+(?::\d+)?)?/g, "<path>"],
  [/(?<![\w<>/])[\w.-]+\/[\w.-]+\.git\b/g, "<path>"],
  [/(?<![\w<>/])[\w.@-]+\/[\w.@-]+\.[a-z]{1,4}(?::\d+(?::\d+)?)\b/gi, "<path>"],
  [
    /(?<![\p{L}\p{N}<>/._-])[\p{L}\p{N}][\p{L}\p{N}_.()-]*\.(?:pdf|docx?|xlsx?|pptx?|csv|tsv|txt|html?|jsonl|ya?ml|xml|tar|t?gz|7z|rar|png|jpe?g|gif|svg|webp|heic|mp3|mp4|wav|mov|avi|mkv|webm|ogg|flac|parquet|ics|eml|epub|od[tsp]|ipynb)(?![\p{L}\p{N}])/giu,
    "<path>",
  ],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "<host>"],
  [/\[?(?<![\w:])(?:[0-9a-f]{0,4}:){2,}[0-9a-f]{0,4}\b\]?(?::\d+)?/gi, "<host>"],
];

/** `CHF`, `US$`, `€` */
const MONEY = ["[A-Z]{0,3}\\p{Sc}", "[万만]?[円元원]", ...Intl.supportedValuesOf("currency")].join("|");

/** What is counted, or paid, is part of a number. */
export const UNITS: Rule[] = [
  [
    /<n> ?(?:%|‰|°[CF]?|[KMGTPE]i?B|bytes?|[kKMG]?bit|milliseconds?|seconds?|sec|minutes?|mins?|hours?|days?|[nµum]?s|[hd]|[kcmµ]?[mgl]|[kMG]?(?:Hz|Wh?|V|J)|h?Pa|k?cal|km\/h|mph|lbs?|oz|ft)(?![\p{L}\p{N}_(])/gu,
    "<n>",
  ],
  [new RegExp(`(?<![\\p{L}\\p{N}_])(?:${MONEY}) ?<n>|<n> ?(?:${MONEY})(?![\\p{L}\\p{N}_])`, "gu"), "<n>"],
];

/** Numbers, ids and amounts: which one it is does not matter. */
export const AMOUNTS: Rule[] = [
  // A version.
  [
    /(?<![\w.-])v?\d+(?:\.\d+)+(?:-(?:alpha|beta|rc|pre|next|canary|dev)[\w.-]*\w|-(?:alpha|beta|rc|pre|next|canary|dev))?(?![\w-])/gi,
    "<n>",
  ],
  // A phone number: seven digits or more, in groups.
  [
    /(?<![\w.,-])(?=(?:[ ()./+-]{0,3}\d){7})(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,5}\)|\d{1,5})(?:[ ./-]{1,2}\d{1,5}){1,5}(?![\w.,-]*\d)/g,
    "<n>",
  ],
  [/[\w-]*\*{4,}[\w*-]*/g, "<n>"],
  [/\b0x[0-9a-f]+\b/gi, "<n>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<n>"],
  [/(?<![\w.-])[-+]?\p{Nd}+(?:[.,'’_]\p{Nd}+)*(?:e[+-]?\d+)?(?!\w|[.,]\d)/giu, "<n>"],
  [
    /(?<![\w.-])[-+]?(?:\d+(?:[.,]\d+)*(?:ms|µs|us|ns|s|sec|secs|m|min|mins|h|d|x|%|[KMGT]i?B|kB|B|k)){1,4}(?!\w)/g,
    "<n>",
  ],
  ...UNITS,
];

/** Words with digits that name a thing. */
const NAMES_WITH_DIGITS =
  /^(?:utf-?(?:8|16|32)|base-?(?:32|58|64)|sha-?\d+|md5|s3|ec2|oauth2?|ipv[46]|x509|u?int(?:8|16|32|64)|float(?:32|64)|[ik]\d+n|k8s|h26[45]|mp[34]|http2|es\d{4}|python[23]|latin-?1|p\d{2})$/i;

/** `s3Client`, `step2_validate`: behind few digits the word goes on. */
const WORD_GOES_ON = /^_*[a-z]+\d{1,2}[a-z]?(?:[A-Z][a-z]{2,}|_[a-z]{3,})\w*$/;

/** Whether a word with a digit in it is the name of a thing in the program. */
export const isNameWithDigits = (word: string) => NAMES_WITH_DIGITS.test(word) || WORD_GOES_ON.test(word);

/** A word with a digit in it. */
export const TOKEN = /(?<![\w<>-])(?=[\w-]*\d)[A-Za-z0-9_][\w-]*(?:\.\d[\w-]*)*(?![\w(>])/g;

/** Several of the same in a row are one. */
export const REPEATS: Rule[] = [
  [/(<(\w+)>)(?:(?:\s*[,;|]\s*|\s+(?:and|or)\s+|\s*, ?(?:and|or)\s+|\s+)<\2>)+/g, "$1"],
  [/\((?:expected|got|limit|char|line|position|read timeout)\b[^()]*<n>[^()]*\)/g, ""],
];

/** A thing and its plural behind a number are the same. */
export const PLURALS: Rule[] = [
  [/(<n>(?: [a-z]+)? [a-z-]{2,}[a-rt-z])s\b/g, "$1"],
  [/(<n> [a-z-]{2,}[a-rt-z])s\b/g, "$1"],
  [/\(s\)/g, ""],
];
