// Lists the operations of a definition document and calls them. Adds all content to the page as text, never as HTML.

const documentURL = new URLSearchParams(location.search).get('url') ?? '/swagger/api.swagger.json';
const page = document.querySelector('#operations');
const token = document.querySelector('#token');
const filter = document.querySelector('#filter');

/** Creates an element: `element('code', { className: 'x' }, 'text', child)`. */
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** An example value for a schema, to start editing from. */
function example(schema, definitions, depth = 0) {
  if (!schema || depth > 6) return {};
  if (schema.$ref) return example(definitions[schema.$ref.split('/').at(-1)], definitions, depth + 1);
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [example(schema.items, definitions, depth + 1)];
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number') return 0;
  if (schema.type === 'string') return '';
  const entries = Object.entries(schema.properties ?? {});
  return Object.fromEntries(entries.map(([name, inner]) => [name, example(inner, definitions, depth + 1)]));
}

async function call({ method, path, parameters }, form) {
  const values = new FormData(form);
  const query = new URLSearchParams();
  let url = path;
  let body;
  for (const parameter of parameters) {
    const value = /** @type {string} */ (values.get(parameter.name)) ?? '';
    if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.in === 'query' && value !== '') query.append(parameter.name, value);
    else if (parameter.in === 'body') body = value;
  }
  const headers = token.value === '' ? {} : { 'Grpc-Metadata-Authorization': `Bearer ${token.value.trim()}` };
  const response = await fetch(query.size > 0 ? `${url}?${query}` : url, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  return `${response.status} ${response.statusText}\n${pretty(await response.text())}`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function formOf(operation, definitions) {
  const fields = operation.parameters.map((parameter) => {
    const name = parameter.name;
    const label = `${name}${parameter.in === 'body' ? '' : ` (${parameter.in})`}`;
    const input =
      parameter.in === 'body'
        ? element('textarea', {
            name,
            value: pretty(JSON.stringify(example(parameter.schema, definitions))),
            spellcheck: false,
          })
        : element('input', { name, required: parameter.in === 'path', spellcheck: false });
    return element('label', {}, label, input);
  });
  const answer = element('pre', { hidden: true });
  const form = element('form', {}, ...fields, element('button', { type: 'submit' }, 'Try it'), answer);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    answer.hidden = false;
    answer.textContent = 'Calling ...';
    answer.textContent = await call(operation, form).catch((error) => `The call failed: ${error.message}`);
  });
  return form;
}

function detailsOf(operation, definitions) {
  const head = element(
    'summary',
    {},
    element('strong', { className: 'method' }, operation.method),
    element('code', {}, operation.path),
    element('span', {}, operation.summary ?? ''),
  );
  const details = element('details', {}, head);
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(formOf(operation, definitions));
  });
  return details;
}

async function load() {
  const response = await fetch(documentURL);
  if (!response.ok) throw new Error(`${documentURL} answered ${response.status}.`);
  const { paths, definitions = {} } = await response.json();
  return {
    definitions,
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { tags = [], summary, parameters = [] }]) => ({
        path,
        method: method.toUpperCase(),
        service: tags[0] ?? '',
        summary,
        parameters,
      })),
    ),
  };
}

function show({ operations, definitions }) {
  const wanted = filter.value.toLowerCase();
  const found = operations.filter(({ path, summary, service }) =>
    `${path} ${summary} ${service}`.toLowerCase().includes(wanted),
  );
  const sections = [...Map.groupBy(found, ({ service }) => service)].map(([service, its]) =>
    element('section', {}, element('h2', {}, service), ...its.map((operation) => detailsOf(operation, definitions))),
  );
  page.replaceChildren(...(sections.length > 0 ? sections : [element('p', {}, 'No operation matches the filter.')]));
}

try {
  const loaded = await load();
  show(loaded);
  filter.addEventListener('input', () => show(loaded));
} catch (error) {
  page.replaceChildren(element('p', {}, `The operations could not be loaded: ${error.message}`));
}
