export { Badge } from "./badge.tsx";
export { Button, IconButton } from "./button.tsx";
export { classes } from "./classes.ts";
export { Dialog } from "./dialog.tsx";
export { Menu, type MenuItem } from "./menu.tsx";
export { Spinner } from "./spinner.tsx";
export { Field, TextField } from "./text-field.tsx";
export { type Toast, ToastProvider, useToast } from "./toast.tsx";
export { Tooltip } from "./tooltip.tsx";
