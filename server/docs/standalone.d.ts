declare module "*/standalone.js" {
  const path: string;
  export = path;
}
