export { faultsByProgram } from "./database.ts";
export { CHECK_NAMES, examine } from "./doctor.ts";
export { type DoctorFinding, type DoctorLevel, LEVELS } from "./finding.ts";
