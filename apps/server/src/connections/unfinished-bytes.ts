const megabyte = 2 ** 20;

/**
 * The most bytes of requests that have not arrived completely, in total and from one address (IPv6: one `/64`): of HTTP
 * and gRPC together, and the same for network servers.
 */
export const unfinishedBytes = { all: 64 * megabyte, each: 16 * megabyte };
