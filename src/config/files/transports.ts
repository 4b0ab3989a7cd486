/** How audio may be asked to travel. */
export const configuredTransports = ['auto', 'path', 'base64', 'multipart'] as const
