/** Who did something: the owner of a key, by the name that it had then, or one of Berth's own ways without an id. */
export type Author = { key_id: string | null; name: string };

/** In a column; null for what nobody in particular did, as where no key is needed. */
export const authorText = (by: Author | null): string | null => by && JSON.stringify(by);

export const readAuthor = (text: string | null): Author | null => (text === null ? null : JSON.parse(text));
