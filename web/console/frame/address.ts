import { SCREENS } from "../screens.ts";

const areas = new Map(SCREENS.map(({ path, area }) => [path.split("/")[1] ?? "", area]));
const ofProject = new Set(SCREENS.flatMap(({ path, ofProject }) => (ofProject ? [path] : [])));

/** The entry of the navigation that an address below `/console` belongs to. */
export const areaAt = (location: string): string | undefined => areas.get(location.split("/")[1] ?? "");

/** Whether the screen there looks at one project. */
export const isOfProject = (location: string): boolean => ofProject.has(location);

/** What stays the same on all parts of a screen: `/deployments/1` of `/deployments/1/logs`. */
export const screenAt = (location: string): string => location.split("/").slice(0, 3).join("/");
