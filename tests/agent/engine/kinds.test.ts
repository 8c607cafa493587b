import { describe, expect, test } from "bun:test";
import { fingerprintOf } from "../../../agent/engine/fingerprint/fingerprint.ts";
import { settled } from "../../../agent/engine/fingerprint/kinds.ts";
import { Grouping } from "../../../agent/engine/grouping.ts";
import { shuffled } from "./labelled-set.ts";

/** What the messages of one place have in common in the end, each once. */
function templatesOf(messages: readonly string[]): string[] {
  const grouping = new Grouping();
  const kinds = messages.map((message) =>
    grouping.kindOf(
      fingerprintOf({ detector: "exception", error_type: "Error", node: "n", tool: null, message }),
    ),
  );
  return [...new Set(kinds.map((kind) => settled(kind)))].map(({ template }) => template);
}

const inAnyOrder = (messages: readonly string[]) =>
  [1, 2, 3, 4, 5, 6].map((seed) => templatesOf(shuffled([...messages], seed)));

describe("messages of one place are one kind, in whatever order they come,", () => {
  test.each<[why: string, messages: string[], template: string]>([
    [
      "where two have shown that there is a value, however the third writes it",
      ["Guest list for KubeCon EU is full", "Guest list for Anna's is full", "Guest list for Berlin is full"],
      "Guest list for <value> is full",
    ],
    [
      "where a value has a word of the sentence in it",
      [
        "No flats for Anna, 3 scanned",
        "No flats for Bob, 9 scanned",
        "No flats for loft, scanned or not, 7 scanned",
      ],
      "No flats for <value>, <n> scanned",
    ],
    [
      "where three have something else of other lengths in the same place",
      ["No recipe uses tofu", "No recipe uses leftover rice", "No recipe uses aubergine and miso"],
      "No recipe uses <value>",
    ],
    [
      "also in a language whose words are not known",
      [
        "Brak wolnych terminów dla sprawy meldunek w dniu 30 września",
        "Brak wolnych terminów dla sprawy dowód osobisty w dniu 14 maja",
        "Brak wolnych terminów dla sprawy rejestracja pojazdu w dniu 2 lipca",
      ],
      "Brak wolnych terminów dla sprawy <value> w dniu <n> <value>",
    ],
    [
      "where the program has no name for somebody",
      ["Bill of Siemens is open", "Bill of IKEA is open", "Bill of a new client is open"],
      "Bill of <value> is open",
    ],
    [
      "where a day is told with a word or without",
      [
        "Bei Frau Dr. Lindner ist am Dienstag kein Termin frei",
        "Bei Herrn Öztürk ist heute kein Termin frei",
      ],
      "Bei <value> ist <value> kein Termin frei",
    ],
    [
      "where a name stands in two places",
      ["Le TER 88 de Saint-Étienne à Lyon est complet", "Le TGV 6612 de Lyon à Paris est complet"],
      "Le <value> <n> de <value> à <value> est complet",
    ],
    [
      "where a title has a colon in it",
      ["Amélie at 18:00 starts in 1 minute", "Dune: Part Two at 20:15 starts in 4 minutes"],
      "<value> at <time> starts in <n>",
    ],
    [
      "where somebody has an account in place of a name",
      ["Lea Weber lacks the permission contracts:read", "k.ito lacks the permission contracts:read"],
      "<value> lacks the permission contracts:read",
    ],
    [
      "also where no spaces are written",
      ["手帳2025は販売終了です", "抹茶茶碗は販売終了です"],
      "<value> は販売終了です",
    ],
    [
      "whatever an amount is paid in",
      ["Cannot pay CHF 2'400", "Cannot pay ¥120,000", "Cannot pay 99,90 €"],
      "Cannot pay <n>",
    ],
  ])("%s", (_, messages, template) => {
    for (const templates of inAnyOrder(messages)) expect(templates).toEqual([template]);
  });
});

describe("messages of one place are of several kinds, in whatever order they come,", () => {
  test.each<[why: string, messages: string[]]>([
    ["where one word each is what happened", ["The van is muddy", "The van is rusty", "The van is stuck"]],
    [
      "where it stands in the middle",
      ["Oven too hot for the bread", "Oven too damp for the bread", "Oven too crowded for the bread"],
    ],
    [
      "where it stands behind a verb that helps, in another language",
      [
        "Der Kunde Meier ist gesperrt",
        "Der Kunde Schulz ist seit gestern abgelaufen",
        "Der Kunde Huber ist gekündigt",
      ],
    ],
    [
      "where it says what is not the case",
      [
        "Die Rechnung 1 ist nicht bezahlt",
        "Die Rechnung 2 ist nicht an uns versandt",
        "Die Rechnung 3 ist nicht gebucht",
      ],
    ],
    [
      "where a sentence ends in several ways in a language whose words are not known",
      [
        "Der Drucker im Flur klemmt",
        "Der Drucker im Flur druckt leere Seiten",
        "Der Drucker im Flur braucht neuen Toner",
      ],
    ],
    ["where a field is named", ["Feld Name fehlt", "Feld Ort fehlt", "Feld Geburtstag fehlt"]],
    [
      "where it was a code",
      ["Farm replied 507 for shot b", "Farm replied 429 for shot 12", "Farm replied 405 for shot SQ1"],
    ],
    [
      "where a command returned something else",
      ["`plan -x` returned 1", "`plan -y` returned 4", "`plan -z` returned 12"],
    ],
    [
      "where what it is stands in front of a value",
      ["meter 1ESY1160 not found", "tariff Ökostrom Family not found"],
    ],
    [
      "also in another language",
      ["Kunde 10023-B wurde nicht gefunden", "Vertrag Hausrat Berg wurde nicht gefunden"],
    ],
    [
      "where it is reached by something else",
      ["Nobody with the phone number 030 / 55 66 77", "Nobody with the e-mail anna@post.example"],
    ],
    ["behind `not`", ["We do not sell Wool blanket grey", "We do not deliver to Isle of Man"]],
    ["where a service is named", ["HTTP 502 from tariff service", "HTTP 502 from weather station"]],
    [
      "where the program goes on behind a value",
      ["No such customer: 'c 1'", "No such customer: 'c 2'; a similar object exists in test mode"],
    ],
    [
      "where a sentence goes on behind a value",
      ["Dossier 2026-FR-118 clos depuis mars", "Dossier 2026-FR-118 introuvable"],
    ],
    [
      "where what happened stands between two values",
      ["Gate B22 for LH 441 closed at 12:05", "Gate 7 for EZY 81 changed to 9"],
    ],
    ["also in Japanese", ["予約番号 88120 は取消期限を過ぎています", "予約番号 QX7TRA は存在しません"]],
    ["where a name is quoted", ["'ADJUSTER_MAIL'", "'CLAIMS_BUCKET'", "'CLAIMS_KEY_ID'"]],
  ])("%s", (_, messages) => {
    for (const templates of inAnyOrder(messages)) expect(templates).toHaveLength(messages.length);
  });
});
