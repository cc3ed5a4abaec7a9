import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';

/** The accent colour: a petrol blue, distinct from the green, red and amber of statuses. */
const petrol: MantineColorsTuple = [
  '#e6f5f9',
  '#d2e7ee',
  '#a6cedb',
  '#76b4c8',
  '#4f9eb8',
  '#3690ae',
  '#2189aa',
  '#0f7692',
  '#0f6d82',
  '#005a70',
];

/** Red enough to warn, dark enough to be readable on the page. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#fde8e8',
  '#f5a8a8',
  '#ff8a84',
  '#f26c6c',
  '#e5544f',
  '#d94343',
  '#cc3535',
  '#c22b2b',
  '#9f1f1f',
];

const dark: MantineColorsTuple = [
  '#d3d8dc',
  '#b3bbc1',
  '#8f99a1',
  '#6c7780',
  '#414b53',
  '#333c43',
  '#272e34',
  '#1b2126',
  '#14191d',
  '#0e1215',
];

/** The colour scheme is stored in localStorage under this key; public/first.js reads it before the first paint. */
export const themeKey = 'theme';
export const colorSchemeManager = localStorageColorSchemeManager({ key: themeKey });

/** The fonts of all text: also of canvases, which cannot read them from the style sheet. */
export const textFonts = `Inter, "Inter fallback", "Inter fallback on Android", system-ui, sans-serif`;

const compact = { size: 'sm' } as const;
/** Help is below the input, and an error above the help. */
const input = { ...compact, inputWrapperOrder: ['label', 'input', 'error', 'description'] };

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 8, dark: 7 },
  colors: { petrol, dark, red },
  fontFamily: textFonts,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '16px' }, h3: { fontSize: '14px' } },
  },
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Plain objects, not `Component.extend(...)`: importing a component here would load it on the first screen.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Alert: { defaultProps: { variant: 'light' } },
    Badge: {
      defaultProps: { variant: 'light', radius: 'sm' },
      styles: { label: { textTransform: 'none', fontWeight: 500 } },
    },
    Button: { defaultProps: compact },
    Checkbox: { defaultProps: compact },
    Modal: {
      defaultProps: {
        centered: true,
        // The page always has a scroll bar (global.css); compensating for a hidden one would move the page.
        removeScrollProps: { removeScrollBar: false },
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close' },
        // Its <header> would count as a second banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
      styles: { title: { fontSize: 16, fontWeight: 600, overflowWrap: 'anywhere' } },
    },
    Paper: { defaultProps: { withBorder: true, p: 'md' } },
    PasswordInput: { defaultProps: input },
    // Positioned in the viewport: a phone scrolls the selected option into view before the list is positioned, which
    // would otherwise scroll the page.
    Select: { defaultProps: { ...input, comboboxProps: { shadow: 'md', floatingStrategy: 'fixed' } } },
    Skeleton: { defaultProps: { 'aria-busy': true } },
    Switch: { defaultProps: compact },
    Textarea: { defaultProps: input },
    TextInput: { defaultProps: input },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true, events: { hover: true, focus: true, touch: false } } },
  },
});

/** What Mantine has no name for: sizes of the shell, of rows and of forms, the page behind cards, borders of fields. */
export const cssVariables = (() => ({
  variables: { '--row': '36px', '--bar': '52px', '--drawer': '270px', '--form': '1280px' },
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1d2429',
    '--mantine-color-dimmed': '#5c6770',
    '--mantine-color-placeholder': '#66717a',
    '--mantine-color-default-border': '#dde2e6',
    '--field-border': '#838d96',
    '--mantine-color-error': '#c22b2b',
    '--mantine-color-yellow-light-color': '#8a4b00',
    '--page': '#f5f7f8',
    '--row-hover': '#f3f7f9',
  },
  dark: {
    '--mantine-color-body': '#1b2126',
    '--mantine-color-text': '#d9dee2',
    '--mantine-color-dimmed': '#99a4ac',
    '--mantine-color-placeholder': '#8f99a1',
    '--mantine-color-default-border': '#323b42',
    '--field-border': '#74808a',
    '--mantine-color-petrol-light': 'rgb(79 158 184 / 30%)',
    '--mantine-color-petrol-light-hover': 'rgb(79 158 184 / 38%)',
    '--mantine-color-petrol-light-color': '#b4dfeb',
    '--mantine-color-error': '#ff7b74',
    '--mantine-color-red-light': 'rgb(255 123 116 / 12%)',
    '--mantine-color-red-light-color': '#ff9d96',
    '--mantine-color-yellow-light': 'rgb(240 171 77 / 14%)',
    '--mantine-color-yellow-light-color': '#f0ab4d',
    '--page': '#13181b',
    '--row-hover': '#222a30',
  },
})) satisfies CSSVariablesResolver;
