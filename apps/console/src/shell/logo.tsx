/** The logo: a hill with a transmitter. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--mantine-primary-color-filled)" />
      <path d="M4 25c4-7 7.5-10 11-10s8 3 13 10z" fill="#fff" />
      <circle cx="15" cy="11" r="2" fill="#fff" />
      <path
        d="M10.4 8.2a6 6 0 0 1 9.2 0M7.6 5.6a10 10 0 0 1 14.8 0"
        fill="none"
        stroke="#fff"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
    </svg>
  );
}
