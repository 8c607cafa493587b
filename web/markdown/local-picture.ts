/** Where Berth passes requests on to deployments (`/d/{deployment_id}`), also behind a path of its own. */
const OF_DEPLOYMENT = /(?:^|\/)d\/[^/]/i;

/**
 * Whether a picture is shown without asking: its bytes are in the text, or Berth itself has it. What is below `/d/…` is
 * of a deployment, which would learn who reads the text, and what its address does would be done in the reader's name.
 * @param page the address of the page that shows it
 */
export function isLocalPicture(src: string, page: string): boolean {
  if (/^data:image\/(png|jpe?g|gif|webp|avif);/i.test(src) || src.startsWith("blob:")) return true;
  const url = URL.parse(src, page);
  return url !== null && url.origin === new URL(page).origin && !isOfDeployment(url.pathname);
}

/** A path that cannot be decoded may be anything. */
function isOfDeployment(pathname: string): boolean {
  try {
    return OF_DEPLOYMENT.test(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}
