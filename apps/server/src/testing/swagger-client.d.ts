/** The package has no types of its own: these are the parts used here. */
declare module 'swagger-client' {
  interface Answer {
    status: number;
    body: unknown;
  }

  interface Client {
    /** By tag, then by operation id. */
    apis: Record<string, Record<string, (parameters: Record<string, unknown>) => Promise<Answer>>>;
    errors: unknown[];
  }

  export default function SwaggerClient(options: {
    url: string;
    requestInterceptor: (request: { headers: Record<string, string> }) => object;
  }): Promise<Client>;
}
