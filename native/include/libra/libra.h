// C interface of Libra's native core.
#pragma once
