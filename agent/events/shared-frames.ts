/** A server-sent event: its id, its name and the one line of JSON that it carries. */
export type SseFrame = { id: string; name: string; json: string };

/** Text of frames, or a large frame as its bytes. */
export type FrameText = string | Uint8Array;

/** A frame with more JSON than this is turned into bytes once, for all who read its event. */
export const LARGE_CHARS = 65_536;

const encoder = new TextEncoder();
const shared = new WeakMap<object, Map<string, Uint8Array>>();

/**
 * Some frames as the wire has them, small ones in one text. A large one is made only when it is asked for.
 * @param frames each with the event that it shows, which all of its readers hold together
 */
export function* frameTexts(frames: Iterable<SseFrame & { of: object }>): Generator<FrameText> {
  let text = "";
  for (const frame of frames) {
    if (frame.json.length < LARGE_CHARS) text += frameText(frame);
    else {
      if (text) yield text;
      yield sharedBytes(frame);
      text = "";
    }
  }
  if (text) yield text;
}

export const frameText = ({ id, name, json }: SseFrame): string =>
  `id: ${id}\nevent: ${name}\ndata: ${json}\n\n`;

function sharedBytes(frame: SseFrame & { of: object }): Uint8Array {
  const known = shared.get(frame.of) ?? new Map<string, Uint8Array>();
  shared.set(frame.of, known);
  const key = `${frame.id} ${frame.name}`;
  const bytes = known.get(key) ?? encoder.encode(frameText(frame));
  known.set(key, bytes);
  return bytes;
}
