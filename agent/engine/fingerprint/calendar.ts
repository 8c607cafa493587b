/** Languages whose names of days and months are known. */
const LOCALES =
  "en de fr es it pt nl pl cs sk sl hr ro hu sv da nb fi et lv lt tr el ru uk bg id vi ca eu ga cy ja zh ko".split(
    " ",
  );
const SHORT =
  "mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec today tomorrow yesterday tonight morning afternoon evening noon midnight soir matin après-midi abend vormittag nachmittag sera mattina pomeriggio noche tarde noite manhã heute morgen gestern übermorgen vorgestern aujourd'hui demain hoy mañana ayer oggi domani ieri hoje amanhã ontem vandaag gisteren idag imorgon igår dziś jutro wczoraj segunda terça quarta quinta sexta heiligabend silvester weihnachten ostern christmas easter noël navidad natale natal 今日 明日 昨日 今天 明天 昨天 오늘 내일 어제";

let known: ReadonlySet<string> | undefined;

/** Whether a word, in small letters, is the name of a day or a month: which one differs from case to case. */
export function isInCalendar(word: string): boolean {
  known ??= new Set([...SHORT.split(" "), ...LOCALES.flatMap(namesIn).filter((name) => !/\d/.test(name))]);
  return known.has(word);
}

/** As they stand alone, and as they stand in a date: some languages decline them. */
function namesIn(locale: string): string[] {
  const formats: Intl.DateTimeFormatOptions[] = [
    { month: "long" },
    { month: "long", day: "numeric" },
    { weekday: "long" },
  ];
  return formats.flatMap((format) => {
    const names = new Intl.DateTimeFormat(locale, { ...format, timeZone: "UTC" });
    const days = Array.from({ length: format.weekday ? 7 : 12 }, (_, at) =>
      format.weekday ? Date.UTC(2024, 0, 1 + at) : Date.UTC(2024, at, 1),
    );
    const wanted = format.weekday ? "weekday" : "month";
    return days.flatMap((day) =>
      names.formatToParts(day).flatMap(({ type, value }) => (type === wanted ? [value.toLowerCase()] : [])),
    );
  });
}
