declare module "swagger-ui-dist/*" {
  const path: string;
  export = path;
}
