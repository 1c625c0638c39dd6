#pragma once

#include "highwater/result.h"
