/** Made by tools, or for one machine only; and what holds secrets. As `berth deploy` leaves them out. */
const NEVER = new Set([
  ...[".git", ".hg", ".svn", "node_modules", ".DS_Store"],
  ...["__pycache__", ".venv", "venv", ".tox", ".mypy_cache"],
  ...[".dev.vars", ".netrc"],
]);
const ENVIRONMENT = /^\.env(?:\..+)?$/;
const SAMPLE = /^\.env\.(?:example|sample|template)$/;

/** Whether a file or folder of that name stays behind when a project is uploaded. */
export function isLeftOut(name: string): boolean {
  return NEVER.has(name) || (ENVIRONMENT.test(name) && !SAMPLE.test(name));
}
