import fc from 'fast-check'

// A gate says whether a change broke something, so it looks at the same cases every time; `npm run validate` looks at new ones.
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) })
