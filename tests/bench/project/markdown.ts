/** A page of an answer as a model writes it: a heading, prose with marks and a link, lists, a table, two blocks of code. */
const page = (number: number) => `## ${number}. A queue that forgets nothing

Every job is **written down** before it is acknowledged, and a worker that takes one holds a *lease* on it. When the
worker goes away, the lease runs out and \`claim()\` gives the job to somebody else, as [the notes](#notes-${number}) say.

1. Insert the row in the transaction that created the reason for it.
2. Claim with a condition on the lease, so that two workers never hold one job:
   - the oldest job first,
   - at most ${number + 4} at a time.
3. Renew the lease at a third of its length.

| Step | Takes | Fails when |
| ---- | ----- | ---------- |
| insert | ${number} ms | the disk is full |
| claim | 2 ms | another worker was faster |
| finish | 3 ms | the lease was lost |

\`\`\`ts
export async function claim(database: Database, worker: string): Promise<Job | undefined> {
  const job = await database.one("select * from jobs where lease_until < ? order by id limit 1", [Date.now()]);
  if (!job) return undefined;
  // Somebody else may have been faster: only one of two updates finds the old lease.
  const until = Date.now() + ${number * 1000};
  const changed = await database.run("update jobs set lease_until = ? where id = ?", [until, job.id]);
  return changed === 1 ? { ...job, worker } : undefined;
}
\`\`\`

> A job may run twice. Whatever it does has to bear that.

\`\`\`sql
create index jobs_by_lease on jobs (lease_until, id) where finished_at is null;
\`\`\`

`;

/** Page after page, cut into words as a model's tokens are, each with the white space before it. */
export function* markdownTokens(): Generator<string, string> {
  for (let number = 1; ; number += 1) {
    for (const [token] of page(number).matchAll(/\s*\S+|\s+$/g)) yield token;
  }
}
