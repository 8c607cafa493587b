/** The mark of Berth: two posts, and what lies between them. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0a6785" />
      <path
        d="M8 9.5v13M24 9.5v13M8 19c2.7 0 2.7 2 5.3 2s2.7-2 5.4-2 2.6 2 5.3 2M12.5 14.5h7l-1.2 3h-4.6z"
        fill="none"
        stroke="#fff"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
