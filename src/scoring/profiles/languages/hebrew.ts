import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const hebrew: SpokenLanguage = {
  id: 'hebrew@1',
  version: 1,
  language: 'he',
  purpose:
    'Hebrew speech: vowel points, presentation forms, maqaf, geresh, currencies and units do not count.',
  letters: {
    // Points and accents; gershayim in initialisms.
    drops: /[\u0591-\u05bd\u05bf-\u05c7]|(?<=\p{L})["״“”](?=\p{L})/gu,
  },
  numbers: {
    signs: {
      decimal: '.',
      group: ',',
      currencies: '$ דולר; € אירו; ₪ שקל|שקלים; £ לירה שטרלינג; ¥ ין; ₹ רופי',
      percent: 'אחוז|אחוזים',
      degrees: 'מעלה|מעלות',
      celsius: 'מעלת צלזיוס|מעלות צלזיוס',
      minus: 'מינוס',
      to: 'עד',
      and: 'ו',
      hour: null,
      forms: [
        [/٪/g, '%'],
        [/(?<=\d)٫(?=\d)/g, '.'],
        [/(?<=\d)[٬،](?=\d{3}(?!\d))/g, ','],
        [/% ?(\d+(?:\.\d+)?)/g, '$1%'],
      ],
    },
    words: {
      cardinals:
        'אפס=0 מאה=100 מאתיים=200 אלף=1000 אלפיים=2000 עשרים=20 שלושים=30 ארבעים=40 חמישים=50 שישים=60 שבעים=70 שמונים=80 תשעים=90 ' +
        'מיליון=1000000',
    },
    counted: {
      points: 'נקודה',
      units:
        'קמ קילומטר; מ מטר; קג קילוגרם; km קילומטר; kg קילוגרם; ' +
        'סמ סנטימטר; גר גרם; ל ליטר; שע שעה|שעות; דק דקה|דקות; שנ שניה|שניות; קמש קילומטר לשעה',
      counted: '',
    },
  },
  months:
    'ינו ינואר; בינו בינואר; פבר פברואר; בפבר בפברואר; אפר אפריל; באפר באפריל; אוג אוגוסט; באוג באוגוסט; ספט ספטמבר; ' +
    'בספט בספטמבר; אוק אוקטובר; באוק באוקטובר; נוב נובמבר; בנוב בנובמבר; דצמ דצמבר; בדצמ בדצמבר',
  apostrophe: 'goes',
  fillers: 'אה אממ המ',
  phrases: `
דר>דוקטור
פרופ>פרופסור
וכו>וכולי
`,
  examples: {
    letters: ['שָׁלוֹם צה״ל', 'שלום צהל'],
    figures: ['25%', '25 אחוזים '],
    numbers: ['5 קמ', '5 קילומטר'],
    phrases: ['פרופ', 'פרופסור'],
  },
  quirks: [
    'Compound numbers stay words: they have a gender, which is heard. Round numbers are one with their figures.',
    'Full and defective spelling (שולחן, שלחן) are two.',
  ],
}
