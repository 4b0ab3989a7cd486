/** The file descriptor on which a worker process and its parent speak with each other. */
export const workerStream = 3
