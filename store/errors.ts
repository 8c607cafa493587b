/** One fault of a request, in the shape FastAPI clients parse (`brief.md`, ValidationError). */
export type FaultDetail = {
  loc: (string | number)[];
  msg: string;
  type: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
};

type FaultOptions = ErrorOptions & { code?: string; field?: readonly (string | number)[] };

/**
 * A failure the caller caused. `message` is public text and reaches the wire; `cause` stays in the log.
 * Whoever renders it picks the status: one class, one status.
 */
export class Fault extends Error {
  override name = "Fault";
  /** A word for programs, where the status does not say enough. */
  readonly code: string | undefined;
  /** The field of the body that it is about, by its path, where it is about one. */
  readonly field: readonly (string | number)[] | undefined;

  constructor(message?: string, options?: FaultOptions) {
    super(message, options);
    this.code = options?.code;
    this.field = options?.field;
  }
}

/** The thing named does not exist, or belongs to somebody else: both look the same (404). */
export class NotFound extends Fault {
  override name = "NotFound";
}

/** The request contradicts the present state (409). */
export class Conflict extends Fault {
  override name = "Conflict";
}

/** What a workspace may have at most. */
export type Quota = "deployments" | "uploads" | "requests" | "disk";

/** The workspace has as much of something as it may have (409). */
export class QuotaReached extends Conflict {
  override name = "QuotaReached";

  constructor(
    readonly quota: Quota,
    message: string,
  ) {
    super(message, { code: "quota_reached" });
  }
}

/** The request is well formed but asks for something that makes no sense (400). */
export class BadRequest extends Fault {
  override name = "BadRequest";
}

/** No valid key came with the request (401). */
export class Unauthenticated extends Fault {
  override name = "Unauthenticated";
}

/** The caller is known but may not do this (403). */
export class Denied extends Fault {
  override name = "Denied";
}

/** A body or a value is larger than its documented limit (413). */
export class TooLarge extends Fault {
  override name = "TooLarge";
}

/** Something outside this process that the request needs does not answer as it should (503). */
export class Unavailable extends Fault {
  override name = "Unavailable";
}

/** Faults that the message names; the list has all of them. */
const TOLD = 5;

/** One or more fields of the request are wrong; carries every one of them (422). */
export class Invalid extends Fault {
  override name = "Invalid";

  constructor(
    readonly details: FaultDetail[],
    options?: ErrorOptions & { code?: string },
  ) {
    const told = details.slice(0, TOLD).map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
    const more = details.length > TOLD ? [`and ${details.length - TOLD} more`] : [];
    super([...told, ...more].join("; "), options);
  }

  /** The common case of one wrong body field. */
  static body(field: string, msg: string, input?: unknown, type = "value_error"): Invalid {
    return new Invalid([{ loc: ["body", field], msg, type, input }]);
  }
}

/** 53100: Postgres has no room. */
const NO_ROOM_CODES = new Set<unknown>(["ENOSPC", "EDQUOT", "SQLITE_FULL", "53100"]);

/** What is said to whoever is served by a machine without room. */
export const NO_ROOM = "There is no room on the server's disk";

/** Whether something failed for want of room: on the disk, in a user's share of it, in the database's file. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (NO_ROOM_CODES.has(Reflect.get(error, "code")) || NO_ROOM_CODES.has(Reflect.get(error, "errno")));

/** 25006: Postgres only reads; 55P03: it waited long enough for a lock. */
const NOT_NOW_CODES = new Set<unknown>(["SQLITE_READONLY", "SQLITE_BUSY", "25006", "55P03"]);

/** Whether a database cannot be written at the moment: its disk is full, it only reads, or somebody else holds it. */
export const isWriteRefused = (error: unknown): boolean =>
  isDiskFull(error) ||
  (error instanceof Error &&
    (NOT_NOW_CODES.has(Reflect.get(error, "code")) ||
      NOT_NOW_CODES.has(Reflect.get(error, "errno")) ||
      isWriteRefused(error.cause)));
