/** The subject of the uplinks of all devices of an application, which are added up each minute. */
export const applicationSubject = (id: number): string => `application:${id}`;
