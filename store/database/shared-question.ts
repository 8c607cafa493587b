/**
 * One question that many ask at once: at most one is under way, and who comes meanwhile shares the next. So everybody
 * gets what was true after he asked, and a database elsewhere is asked once for all of them.
 */
export class SharedQuestion<Answer> {
  readonly #underWay = new Map<string, Promise<Answer>>();
  readonly #next = new Map<string, Promise<Answer>>();

  constructor(private readonly answer: (key: string) => Promise<Answer>) {}

  ask(key: string): Promise<Answer> {
    const before = this.#underWay.get(key);
    if (!before) return this.#begin(key);
    const known = this.#next.get(key);
    if (known) return known;
    const begin = () => {
      this.#next.delete(key);
      return this.#begin(key);
    };
    const next = before.then(begin, begin);
    this.#next.set(key, next);
    return next;
  }

  #begin(key: string): Promise<Answer> {
    const answer = this.answer(key);
    this.#underWay.set(key, answer);
    const end = () => {
      if (this.#underWay.get(key) === answer) this.#underWay.delete(key);
    };
    answer.then(end, end);
    return answer;
  }
}
