export { Markdown } from "./markdown.tsx";
export { RemotePicture } from "./remote-picture.tsx";
