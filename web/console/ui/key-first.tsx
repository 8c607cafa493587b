import { KeyRound } from "lucide-react";
import { Empty } from "./empty.tsx";

/** The first key cannot be made here: until there is one, any program on this machine could do so. */
export function KeyFirst() {
  return (
    <Empty
      icon={<KeyRound />}
      title="Nobody needs a key yet"
      text={
        <>
          Berth listens on this machine only, and so asks nobody. To deploy agents, or to let others call,
          make a key in a terminal: <code>berth keys create</code>. From then on everybody needs one.
        </>
      }
    />
  );
}
