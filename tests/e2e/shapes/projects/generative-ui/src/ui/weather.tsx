import { useStreamContext } from "@langchain/langgraph-sdk/react-ui";
import { useState } from "react";

type State = { messages: { type: string; content: string }[] };
type Meta = { MetaType: { ui?: { name: string } } };

/** A card that counts clicks, reads the conversation, and says something in it. */
export function Weather({ city, degrees }: { city: string; degrees: number }) {
  const { values, isLoading, meta, submit } = useStreamContext<State, Meta>();
  const [clicks, setClicks] = useState(0);
  return (
    <div className="card flex items-center justify-between gap-4">
      <div>
        <h3 className="text-lg font-semibold" data-testid="city">
          {city}
        </h3>
        <p className="text-sm text-slate-600 dark:text-slate-300" data-testid="facts">
          {`${degrees}°, ${values.messages.length} messages, as ${meta?.ui?.name}`}
        </p>
      </div>
      <div className="flex gap-2">
        <button
          type="button"
          className="rounded-md border border-slate-400 px-3 py-1"
          data-testid="count"
          onClick={() => setClicks(clicks + 1)}
        >
          {`${clicks} clicks`}
        </button>
        <button
          type="button"
          className="rounded-md bg-teal-700 px-3 py-1 text-white disabled:bg-slate-600"
          data-testid="more"
          disabled={isLoading}
          onClick={() => submit({ messages: [{ type: "human", content: `More about ${city}` }] })}
        >
          Tell me more
        </button>
      </div>
    </div>
  );
}
