// A node:test reporter that says only how many tests passed, failed and were skipped, as one line of JSON.
export default async function* count(source) {
  for await (const event of source) {
    if (event.type === 'test:summary' && event.data.file === undefined) yield JSON.stringify(event.data.counts);
  }
}
