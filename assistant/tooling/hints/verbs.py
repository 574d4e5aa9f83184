"""The verbs that waiting hints are made of: what is here needs no dictionary."""

_LISTED = """
accept access activate add adjust advise agree allow analyse analyze answer apply approve archive arrange
ask assess assign attach authorise authorize award back be begin bill block book break bring browse build
bundle buy calculate call cancel capture change charge check choose claim clarify clean clear close
collect compare compile complete compute configure confirm connect consult contact control convert copy
correct count create credit cycle deactivate decide deduct delay delete deliver detect determine diagnose
dial dig disable discuss dispatch do download draft draw drop edit email enable end enquire ensure enter
escalate estimate evaluate examine exchange expand expedite explore export extend extract fetch figure
file fill filter finalise finalize find finish fire fix flag follow forget forward free gather generate
get give go grab grant guarantee handle have help hire hold identify import improve include increase
inform initiate inquire inspect install investigate invite invoice issue jog join keep label learn leave
let lie link list listen load locate lock log look mail make map mark match measure merge message mimic
modify monitor move navigate note notify obtain open optimise optimize order organise organize oversee
page park pass pause pay perform permit pick place plan play plug post prepare press prevent print
process produce prove provide publish pull purchase push put query queue raise reach read receive
recommend record recover redeem reduce refer refresh refund register reject release remind remove renew
repair repeat replace reply report request require reschedule reserve reset resolve restart restore
retrieve return reverse review route run save scan schedule search see select sell send serve set settle
share shift ship show sign simplify solve sort speak start stop store submit subscribe sum suspend swap
switch sync tag take talk tell test tie trace track transfer translate travel try turn unlock update
upgrade upload use validate verify view visit wait walk watch weigh withdraw work wrap write zip
"""

VERBS = frozenset(_LISTED.split())
"""Dictionary forms. Of two verbs with one gerund ("routing": rout, route) only the one that service uses."""
