import style from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };

/** Where Swagger UI's files are: on disk, or inside the compiled binary. */
export const files: Record<"swagger-ui.css" | "swagger-ui-bundle.js", string> = {
  "swagger-ui.css": style,
  "swagger-ui-bundle.js": script,
};
