export { isChatAddress } from "./chat.ts";
export { createDelivery } from "./delivery.ts";
export { headersFault } from "./headers.ts";
export { isSigned } from "./signature.ts";
