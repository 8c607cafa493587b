import { areValues, roughly } from "./open-slots.ts";
import { common } from "./template.ts";
import { textOf, type Word, wordsOf } from "./words.ts";

/** A kind of failure at one place: what its texts have in common, and where it is thrown. */
export type Kind = {
  fingerprint: string;
  template: string;
  /** Empty where that is not known. */
  frames: readonly string[];
  /** Only this very text: a person took it out of another kind. */
  exact: boolean;
  /** In no issue yet. */
  waits: boolean;
  /** How often; 2 stands for more. */
  seen: number;
  /** Kinds that waited, too, and turned out to be the same. */
  took?: string[];
  /** What it turned out to be. */
  became?: Kind;
};

/** A kind as it is known in the end: what is learned later may show that two are the same. */
export function settled(kind: Kind): Kind {
  let last = kind;
  while (last.became) last = last.became;
  return last;
}

type Known = Kind & { words: Word[] };

/** Of the kinds at a place, so many that share most with a text are compared with it. */
const MOST_COMPARED = 16;
/** A word that more kinds have is one of many. */
const COMMON = 200;
/** The rarest words of a text count, however many kinds have them. */
const RAREST = 3;

/** The kinds of failures that one place is known for. */
export class Kinds {
  readonly #kinds = new Map<string, Known>();
  readonly #byTemplate = new Map<string, Set<Known>>();
  readonly #byWord = new Map<string, Known[]>();

  add(kind: Kind): Kind {
    const known = { ...kind, words: wordsOf(kind.template) };
    this.#kinds.set(kind.fingerprint, known);
    this.#learn(known);
    for (const key of new Set(known.words.map((word) => word.key))) {
      const others = this.#byWord.get(key);
      if (others) others.push(known);
      else this.#byWord.set(key, [known]);
    }
    return known;
  }

  get(fingerprint: string): Kind | undefined {
    return this.#kinds.get(fingerprint);
  }

  /**
   * The kind that a message is of; its template and its frames are made to fit both.
   * @param frames where it was thrown: stacks lose frames, so one that is not known may be any
   * @returns undefined for one that is not known yet
   */
  find(message: string, frames: readonly string[]): Kind | undefined {
    const words = wordsOf(message);
    const same = [...(this.#byTemplate.get(keyOf(words)) ?? [])].filter(
      (kind) => !kind.became && mayBe(kind.frames, frames),
    );
    const found = nearest(same, frames) ?? this.#alike(words, frames) ?? this.#third(words, frames);
    if (found) found.seen += 1;
    if (found) found.frames = frames.map((frame, at) => found.frames[at] || frame);
    return found && settled(found);
  }

  #alike(words: readonly Word[], frames: readonly string[]): Known | undefined {
    for (const kind of this.#sharing(words)) {
      if (kind.exact || kind.became || !mayBe(kind.frames, frames)) continue;
      const isPlaced = Boolean(frames[0]) && kind.frames[0] === frames[0];
      const both = common(kind.words, words, isPlaced);
      if (!both) continue;
      kind.words = both;
      kind.template = textOf(both);
      this.#learn(kind);
      this.#join(kind);
      return kind;
    }
    return undefined;
  }

  /** Three texts that each have something else in the same place show that it is open. */
  #third(words: readonly Word[], frames: readonly string[]): Known | undefined {
    const others = this.#sharing(words).filter(
      (kind) => kind.seen === 1 && kind.waits && !kind.exact && mayBe(kind.frames, frames),
    );
    for (const one of others)
      for (const template of roughly(one.words, words)) {
        const other = others.find(
          (each) => each !== one && areValues(template, [words, one.words, each.words]),
        );
        if (!other) continue;
        one.words = template;
        one.template = textOf(template);
        this.#learn(one);
        this.#join(one);
        return one;
      }
    return undefined;
  }

  /** With what a template has learned, others that waited may turn out to be of its kind. */
  #join(kind: Known): void {
    for (const other of this.#sharing(kind.words)) {
      if (other === kind || other.exact || other.became || !mayBe(kind.frames, other.frames)) continue;
      if (!kind.waits && !other.waits) continue;
      const isPlaced = Boolean(kind.frames[0]) && kind.frames[0] === other.frames[0];
      const both = common(kind.words, other.words, isPlaced);
      if (!both) continue;
      const [stays, goes] = kind.waits && !other.waits ? [other, kind] : [kind, other];
      stays.words = both;
      stays.template = textOf(both);
      stays.frames = stays.frames.map((frame, at) => frame || goes.frames[at] || "");
      stays.took = [...(stays.took ?? []), ...(goes.took ?? []), goes.fingerprint];
      goes.became = stays;
      this.#learn(stays);
      if (goes === kind) return;
    }
  }

  #learn(kind: Known): void {
    const key = keyOf(kind.words);
    const there = this.#byTemplate.get(key);
    if (there) there.add(kind);
    else this.#byTemplate.set(key, new Set([kind]));
  }

  /** Those that share most of their words with these, best first. */
  #sharing(words: readonly Word[]): Known[] {
    const shares = new Map<Known, number>();
    const lists = [...new Set(words.map((word) => word.key))]
      .map((key) => this.#byWord.get(key) ?? [])
      .sort((one, other) => one.length - other.length);
    // What very many have says little, and would be looked at each time.
    for (const [at, kinds] of lists.entries())
      if (at < RAREST || kinds.length <= COMMON)
        for (const kind of kinds) if (!kind.became) shares.set(kind, (shares.get(kind) ?? 0) + 1);
    return [...shares]
      .sort(([, one], [, other]) => other - one)
      .slice(0, MOST_COMPARED)
      .map(([kind]) => kind);
  }
}

/** What a person took out comes first, then what was thrown at the same places. */
function nearest(kinds: readonly Known[], frames: readonly string[]): Known | undefined {
  const isThere = (kind: Known) => kind.frames.every((frame, at) => frame === frames[at]);
  return kinds.find((kind) => kind.exact) ?? kinds.find(isThere) ?? kinds[0];
}

const mayBe = (known: readonly string[], frames: readonly string[]) =>
  known.length === frames.length && known.every((frame, at) => !frame || !frames[at] || frame === frames[at]);

const keyOf = (words: readonly Word[]) => words.map(({ key }) => key).join(" ");
