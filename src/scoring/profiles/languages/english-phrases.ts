/**
 * English words and phrases that are written in several ways, a line `from>to` each; `web( >)site,page` joins web site and web
 * page. Kept apart are words that sound alike and differ in meaning (its and it's, everyday and every day), and joined forms
 * with a different sound (resign and re-sign, coop and co-op, anyone and any one).
 */
export const englishPhrases = `
cannot>can not
youre>you are
theyre>they are
ive>i have
youve>you have
weve>we have
theyve>they have
im>i am
thats>that is
yall>you all
maam>madam
wanna>want to
gonna>going to
gotta>got to
imma>i am going to
woulda>would have
coulda>could have
shoulda>should have
musta>must have
lemme>let me
gimme>give me
kinda>kind of
sorta>sort of
outta>out of
lotta>lot of
dunno>do not know
gotcha>got you
betcha>bet you
cuz>because
coz>because
thru>through
tho>though
altho>although
donut>doughnut
donuts>doughnuts
okay>ok
okey>ok
okays>oks
alright>all right
alot>a lot
awhile>a while
etc>et cetera
etcetera>et cetera
vs>versus
o clock>o'clock
oclock>o'clock
one fourth>one quarter
three fourths>three quarters
a t and t>atandt
at and t>atandt
degrees c>degrees celsius
degrees f>degrees fahrenheit
miles per hour>mph
kilometers per hour>kph
kilometres per hour>kph
km per hour>kph
km h>kph
kmh>kph
sq ft>square feet
sq m>square meters
ii>2
iii>3
vii>7
viii>8
mr>mister
mrs>missus
dr>doctor
prof>professor
capt>captain
gov>governor
ald>alderman
gen>general
sen>senator
rep>representative
pres>president
rev>reverend
hon>honorable
asst>assistant
assoc>associate
lt>lieutenant
col>colonel
sgt>sergeant
cmdr>commander
maj>major
jr>junior
sr>senior
esq>esquire
ltd>limited
dept>department
govt>government
approx>approximately
blvd>boulevard
mt>mount
ft worth>fort worth
ft lauderdale>fort lauderdale
ft myers>fort myers
ft wayne>fort wayne
tee shirt>tshirt
tee shirts>tshirts
dont>do not
doesnt>does not
didnt>did not
isnt>is not
arent>are not
wasnt>was not
werent>were not
havent>have not
hasnt>has not
hadnt>had not
couldnt>could not
wouldnt>would not
shouldnt>should not
no( >)one
per( >)cent
a( >)m
ph( >)d,ds
e( >)mail,mails,mailed,mailing,book,books,commerce,learning,sports
wi( >)fi
sci( >)fi
hi( >)fi
hip( >)hop
t( >)shirt,shirts
x( >)ray,rays,rayed
u( >)turn,turns
web( >)site,sites,page,pages,cam,cast
home( >)page,pages,town,work
health( >)care
child( >)care
day( >)care,time
night( >)time
life( >)style,styles,time,span
time( >)line,lines,frame,frames
voice( >)mail,mails
cell( >)phone,phones
smart( >)phone,phones
head( >)phones
ear( >)phones
lap( >)top,tops
note( >)book,books
key( >)board,word,words
data( >)base,bases,set,sets
soft( >)ware
hard( >)ware
pass( >)word,words
user( >)name
file( >)name
screen( >)shot,shots
pod( >)cast,casts
live( >)stream
chat( >)bot,bots
news( >)paper,papers,letter,letters
book( >)store,shelf
super( >)market,markets
back( >)yard,yards,pack
side( >)walk
class( >)room,rooms
court( >)room
bed( >)room,rooms
bath( >)room
fire( >)fighter,fighters
fund( >)raiser,raisers,raising
policy( >)maker,makers
law( >)maker,makers
share( >)holder,holders
stake( >)holder,holders
house( >)hold,holds
land( >)lord
work( >)force,place,places,shop,shops,flow
pay( >)check,checks,roll
check( >)list,lists
bench( >)mark,marks
mile( >)stone,stones
well( >)being
good( >)bye,byes
ice( >)cream,creams
air( >)port,line,lines,craft
start( >)up,ups
co( >)operate,operated,operates,operating,operation,operative,ordinate,ordinated,ordinates,ordinating,ordination,ordinator,worker,workers,founder,founders,founded,author,authors,authored,exist,existence
re( >)elect,elected,election,enter,entry,open,opened,opening,use,used,evaluate,examine,establish,engage
real( >)time
long( >)term
short( >)term
full( >)time
part( >)time
high( >)school
decision( >)making
`
