/** Where the process of an instance sends its traces. */
export const shipmentPath = (instanceId: string): string => `/langsmith/instances/${instanceId}/shipments`;
