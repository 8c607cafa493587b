export { masked, maskInProcess, maskOf } from "./mask.ts";
export { keyStanding, type Loss } from "./rotation.ts";
export {
  LOST,
  LostSecret,
  newPushSecret,
  newToken,
  SECRET_MASK,
  type Secret,
  SecretBox,
  WrongSecretsKey,
} from "./secret-box.ts";
export { forgetSecrets, openSecretBox, rotateSecretsKey } from "./secrets-key.ts";
