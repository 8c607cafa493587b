// What the parts that all pages share say, in one place, so that it can be read in one go.

export const WORDS = {
  // connection-banner
  reconnecting: "Reconnecting",
  lostForSeconds: (lostMs: number, comfort: string) =>
    ` for ${lostMs} s. Is the server still running? ${comfort}: it goes on when it is back.`,
  lostConnection: (comfort: string) => ` to the server. ${comfort}.`,
  connectedAgain: "Connected again",

  // dialog
  close: "Close",

  // keyboard
  keyboardShortcuts: "Keyboard shortcuts",

  // theme
  system: "System",
  light: "Light",
  dark: "Dark",
  theme: "Theme",

  // time
  in: (count: string) => `in ${count}`,
  ago: (count: string) => `${count} ago`,
  never: "never",
  milliseconds: (ms: number) => `${ms} ms`,
  minutesAndSeconds: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  hoursAndMinutes: (hours: number, minutes: number) => `${hours} h ${minutes} min`,

  // toast
  dismiss: "Dismiss",
} as const;
