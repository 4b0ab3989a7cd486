import type { EnglishSpelling } from '#contract'

/** Words that the Englishes spell differently in the same place. */
interface Family {
  /** What comes before. */
  readonly stems: readonly string[]
  readonly american: string
  readonly british: string
  /** What may follow. */
  readonly endings: readonly string[]
  /** Which of both Canadians write. */
  readonly canadian: 'american' | 'british'
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)
/** Nothing may follow as well. */
const orNothing = (text: string): readonly string[] => ['', ...words(text)]

/**
 * Written down from the rules that dictionaries of these Englishes share. Left out is what is another word in
 * another sense: program, check, tire, meter, practice, license, curb, draft, story.
 */
const families: readonly Family[] = [
  {
    // Not before -ous, -ation and -ific, where the British drop the u as well: humorous, coloration, honorific.
    stems:
      words(`arb ard arm behavi cand clam col demean discol dishon disfav enam endeav fav ferv flav harb hon
      hum lab misbehavi neighb od parl ranc rig rum sav splend succ tum val vap vig`),
    american: 'or',
    british: 'our',
    endings: orNothing('s ed er ers ing ings ful fully less able ably ite ites al ally hood hoods ly y ies'),
    canadian: 'british',
  },
  {
    stems: words(`calib cent epicent fib lit lust meag mit och sab saltpet sepulch somb spect theat amphitheat
      kilomet centimet millimet`),
    american: 'er',
    british: 're',
    endings: orNothing('s'),
    canadian: 'british',
  },
  {
    stems: words(`agon amort apolog author capital categor central character civil colon computer critic
      crystall custom digit emphas equal familiar fantas fertil final formal general global harmon hospital human
      hypothes ideal immun industrial initial item jeopard legal liberal local magnet material maxim mechan memor
      minim mobil modern national natural neutral normal optim organ reorgan disorgan oxid patron penal personal
      polar popular prior random rational real recogn revolution scrutin social special stabil standard steril
      subsid summar symbol sympath synchron synthes terror trivial util vandal visual vocal western`),
    american: 'iz',
    british: 'is',
    endings: words('e es ed er ers ing ation ations ational able'),
    canadian: 'american',
  },
  {
    // Not `analyses`, which is the plural of the noun as well.
    stems: words('anal breathal catal electrol hydrol paral'),
    american: 'yz',
    british: 'ys',
    endings: words('e ed er ers ing'),
    canadian: 'american',
  },
  {
    stems:
      words(`cance channe chise counse due ename equa fue funne grove initia jewe labe leve marsha marve mode
      pane peda quarre reve riva shove signa snive spira swive tota trave tunne unrave yode`),
    american: 'l',
    british: 'll',
    endings: words('ed er ers ing ings'),
    canadian: 'british',
  },
  {
    stems: words('ana cata dia mono'),
    american: 'log',
    british: 'logue',
    endings: orNothing('s'),
    canadian: 'british',
  },
  {
    stems: words('def off pret'),
    american: 'ense',
    british: 'ence',
    endings: orNothing('s less'),
    canadian: 'british',
  },
  {
    stems: words('enrol fulfil instal'),
    american: 'lment',
    british: 'ment',
    endings: orNothing('s'),
    canadian: 'british',
  },
  {
    stems: words('skil wil'),
    american: 'lful',
    british: 'ful',
    endings: orNothing('ly ness'),
    canadian: 'british',
  },
]

/** American, British, and whether Canadians follow the Americans. */
const singles: readonly (readonly [string, string, 'american' | 'british'])[] = [
  ...pairs('aluminum aluminium airplane aeroplane airplanes aeroplanes', 'american'),
  ...pairs('mustache moustache mustaches moustaches cozy cosy cozier cosier coziest cosiest', 'british'),
  ...pairs(
    'centered centred centering centring gray grey grays greys grayer greyer grayest greyest graying greying grayish greyish',
    'british',
  ),
  ...pairs(
    'jewelry jewellery pajamas pyjamas plow plough plows ploughs plowed ploughed plowing ploughing',
    'british',
  ),
  ...pairs('mold mould molds moulds moldy mouldy smolder smoulder smoldering smouldering', 'british'),
  ...pairs(
    'maneuver manoeuvre maneuvers manoeuvres maneuvered manoeuvred maneuvering manoeuvring',
    'british',
  ),
  ...pairs('skeptic sceptic skeptics sceptics skeptical sceptical skepticism scepticism', 'american'),
  ...pairs('artifact artefact artifacts artefacts aging ageing fulfill fulfil enroll enrol', 'american'),
  ...pairs('anemia anaemia anemic anaemic anesthesia anaesthesia anesthetic anaesthetic', 'american'),
  ...pairs(
    'archeology archaeology encyclopedia encyclopaedia esophagus oesophagus estrogen oestrogen',
    'american',
  ),
  ...pairs('diarrhea diarrhoea fetus foetus gynecologist gynaecologist hemoglobin haemoglobin', 'american'),
  ...pairs(
    'leukemia leukaemia orthopedic orthopaedic pediatric paediatric pediatrician paediatrician',
    'american',
  ),
  ...pairs('hemorrhage haemorrhage hemorrhages haemorrhages homeopathy homoeopathy', 'american'),
]

function pairs(
  text: string,
  canadian: 'american' | 'british',
): (readonly [string, string, typeof canadian])[] {
  const list = words(text)
  return list.flatMap((american, index) =>
    index % 2 === 0 ? [[american, list[index + 1] ?? american, canadian] as const] : [],
  )
}

type Table = ReadonlyMap<string, string>

/** From every other spelling to the wanted one. */
function tableFor(spelling: EnglishSpelling): Table {
  const table = new Map<string, string>()
  const add = (american: string, british: string, canadian: 'american' | 'british'): void => {
    const isAmerican = spelling === 'american' || (spelling === 'canadian' && canadian === 'american')
    if (isAmerican) table.set(british, american)
    else table.set(american, british)
  }
  for (const { stems, american, british, endings, canadian } of families) {
    for (const stem of stems) {
      for (const ending of endings) {
        add(`${stem}${american}${ending}`, `${stem}${british}${ending}`, canadian)
      }
    }
  }
  for (const [american, british, canadian] of singles) add(american, british, canadian)
  return table
}

const tables: Readonly<Record<EnglishSpelling, Table>> = {
  american: tableFor('american'),
  british: tableFor('british'),
  australian: tableFor('australian'),
  canadian: tableFor('canadian'),
}

/** Writes English as it is written there. Words keep their capitals; what is no word of the table stays as it is. */
export function spellAs(text: string, spelling: EnglishSpelling): string {
  const table = tables[spelling]
  return text.replaceAll(/\p{L}+/gu, (word) => {
    const spelled = table.get(word.toLowerCase())
    return spelled === undefined ? word : capitalisedAs(word, spelled)
  })
}

function capitalisedAs(model: string, word: string): string {
  if (model === model.toUpperCase()) return word.toUpperCase()
  const [first = ''] = model
  return first === first.toUpperCase() ? `${word.slice(0, 1).toUpperCase()}${word.slice(1)}` : word
}
