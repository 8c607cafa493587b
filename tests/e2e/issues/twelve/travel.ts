import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { z } from "zod";

const PEOPLE = ["Anna Schmidt", "José O'Brien", "bob", "Li Wei", "Maria Garcia-Lopez"];
const CITIES = ["Paris", "new york", "São Paulo", "Oslo", "St. Gallen", "berlin", "Köln"];
const SEARCHES = ["red shoes in my size", "Lamps", "a gift for an uncle who has it all", "warm socks"];
const of = <T>(all: T[], nth: number): T => all[nth % all.length] as T;

type Order = { items?: { id: number }[]; user?: { profile?: { name: string } } };

const loadOrder = (order: Order) =>
  order.items?.map(({ id }) => id) ?? (order as { lines: [] }).lines.map(String);
const loadUser = (order: Order) => (order.user as { profile: { name: string } }).profile.name;

function findCustomer(nth: number): never {
  throw new Error(`Customer ${of(PEOPLE, nth)} not found`);
}

function findFlights(nth: number): never {
  throw new Error(
    `No flights from ${of(CITIES, nth)} to ${of(CITIES, nth + 2)} on ${of(["Monday", "Friday"], nth)}`,
  );
}

function requireField(name: string): never {
  throw new Error(`Missing required field: ${name}`);
}

const reserve = (nth: number): never => {
  throw new Error(`Nothing in stock for ${of(SEARCHES, nth)}`);
};

const ship = (nth: number): never => {
  throw new Error(`Nothing in stock for ${of(SEARCHES, nth)}`);
};

async function callHotels(): Promise<never> {
  try {
    await fetch("http://127.0.0.1:1/hotels");
  } catch (cause) {
    throw new Error("The hotels do not answer", { cause });
  }
  throw new Error("Somebody listens on port 1");
}

async function readHotels(nth: number): Promise<never> {
  try {
    JSON.parse(`<p>${of(CITIES, nth)}</p>`);
  } catch (cause) {
    throw new Error("The hotels do not answer", { cause });
  }
  throw new Error("That is no JSON");
}

class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function callWeather(status: number, nth: number): never {
  throw new ApiError(status, `The weather of ${of(CITIES, nth)} is not available`);
}

const WAYS: ((nth: number) => unknown)[] = [
  () => loadOrder({}),
  () => loadUser({}),
  findCustomer,
  findFlights,
  () => requireField("email"),
  () => requireField("name"),
  reserve,
  ship,
  callHotels,
  readHotels,
  (nth) => callWeather(429, nth),
  (nth) => callWeather(503, nth),
];

const State = new StateSchema({ way: z.number(), nth: z.number() });

export const graph = new StateGraph(State)
  .addNode("work", async ({ way, nth }) => {
    await WAYS[way]?.(nth);
    return {};
  })
  .addEdge(START, "work")
  .addEdge("work", END)
  .compile();
