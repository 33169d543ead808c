<?php
// Renewal page of the fleet portal; the text below is what an operator reads.
$days = 90;
require "frame.php";
?>
<html>
<head><title>Renewing an access token</title></head>
<body>
<h1>Renewing an access token</h1>
<p>A program that reads trends needs a token of its own. It is valid for ninety days, and the portal writes to the steward
ten days before it runs out.</p>
<?php if ($days > 0): ?>
<p>Press <b>Renew</b> while the old token is still good: both work for one more hour, so that nothing has to be stopped. A
token that has run out can't be renewed, only replaced.</p>
<?php endif; ?>
<ul>
<li>Answer TK-5508: the token belongs to another site.</li>
<li>Answer TK-5580: the clock of the caller is more than four minutes off. Set it; the token is fine.</li>
<li>Answer TK-5850: the token was withdrawn by a steward. Ask why before you ask for another.</li>
</ul>
<p>Never put a token into a script that is kept in a shared folder. Use the vault on the engineering station.</p>
</body>
</html>
<?php exit; ?>
