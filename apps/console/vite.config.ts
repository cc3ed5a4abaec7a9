/// <reference types="vitest/config" />
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunks } from './build/chunks.ts';
import { contractFacts } from './build/contract-facts.ts';
import { dataColorsCSS } from './build/data-colors.ts';
import { precompress } from './build/precompress.ts';
import { preloadFrames } from './build/preload-frames.ts';

const server = process.env.HILLTOP_SERVER ?? 'http://127.0.0.1:8080';

const tests = ['src/**/*.test.{ts,tsx}'];
const inProcess = ['src/components/map/world/world.test.ts', 'src/sign-in/login.test.tsx'];

const named = 'assets/[name]-[hash:7].js';
const isNamed = (chunk: string) => chunks.some(({ name }) => name === chunk);

export default defineConfig({
  plugins: [react(), contractFacts(), dataColorsCSS(), preloadFrames(), precompress()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: '.vite/license.json' },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        // The first screen lists the names of all files: short ones keep it within its budget.
        chunkFileNames: ({ name, isDynamicEntry }) => (isDynamicEntry || isNamed(name) ? named : 'assets/[hash:7].js'),
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: {
          groups: chunks,
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/docs', '/swagger', '/auth'].map((path) => [path, { target: server, ws: path === '/api' }]),
    ),
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testing/setup.ts'],
    css: false,
    testTimeout: 30_000,
    // Globals of its own for each file cost half of what a process of its own does; these miss some that only a process has.
    projects: [
      { extends: true, test: { name: 'globals', pool: 'vmForks', include: tests, exclude: inProcess } },
      { extends: true, test: { name: 'process', pool: 'forks', include: inProcess } },
    ],
  },
});
