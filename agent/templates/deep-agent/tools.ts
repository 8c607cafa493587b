import { tool } from "langchain";
import { z } from "zod";

export const getWeather = tool(
  ({ city }) => {
    // The one place without a station shows what a failing tool looks like.
    if (city === "Atlantis") throw new Error("There is no weather station in Atlantis.");
    return `It is 18 °C and sunny in ${city}.`;
  },
  {
    name: "get_weather",
    description: "Tells the present weather of a city.",
    schema: z.object({ city: z.string().describe("The name of the city") }),
  },
);

// Replace the body with a real mail service: nothing reaches it before a person has agreed.
export const sendEmail = tool(({ to, subject }) => `The email “${subject}” to ${to} is on its way.`, {
  name: "send_email",
  description: "Sends an email. A person approves it first.",
  schema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
});

const notes = [
  "A deep agent plans with a todo list and works through it.",
  "A subagent starts with a clean conversation and reports only its result.",
  "Files that an agent writes live in its state, next to its messages.",
];

// Replace the body with a search of your own: the web, a wiki, a database.
export const searchNotes = tool(
  ({ query }) => {
    const words = new Set(query.toLowerCase().match(/\p{L}{4,}/gu));
    const found = notes.filter((note) =>
      note
        .toLowerCase()
        .match(/\p{L}+/gu)
        ?.some((word) => words.has(word)),
    );
    return (found.length > 0 ? found : notes).join(" ");
  },
  {
    name: "search_notes",
    description: "Searches the notes and returns those that fit best.",
    schema: z.object({ query: z.string().describe("What to look for") }),
  },
);
